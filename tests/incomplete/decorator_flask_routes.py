app = WebApp(__name__)

@app.route("/hello/<name>", methods=["GET"])
def hello(name):
    return "Hello, {}!".format(name)

@app.errorhandler(404)
def not_found(error):
    return "nothing here", 404

print(hello("Ann"))
print(not_found(None))
if __name__ == "__main__":
    app.run(debug=True)
