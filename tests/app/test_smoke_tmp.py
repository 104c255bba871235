from tests.app.conftest import words_on
def test_x(open_page, demo):
    c=demo.compare
    app=open_page("compare_addresses", chain="31337000", block="100", coin="true", addresses="\n".join(c.addresses), tokens="\n".join(c.tokens))
    print(app.exception); print(words_on(app)[:3000]); print([d.proto.id for d in app.dataframe]); print(app.dataframe[0].value); print(app.query_params)
    assert not app.exception
