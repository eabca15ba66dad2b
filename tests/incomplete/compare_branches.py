if response.status_code == 200:
    print("fine")
elif response.status_code == 404:
    print("gone")
else:
    print(fallback)
