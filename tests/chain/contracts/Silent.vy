# pragma version ~=0.4.3
# Answers any call with success and no data, as WETH9 does for functions that it lacks.


@external
@payable
def __default__():
    pass
