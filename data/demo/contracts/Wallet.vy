# pragma version ~=0.4.3
# Takes coin and answers nothing: what a delegated account (EIP-7702) may point to.


@external
@payable
def __default__():
    pass
