try:
    cart = load_cart(7)
except CartError as err:
    print("no cart", err)
else:
    print("cart")
finally:
    print("cleanup")
