from flaskish import Flask, jsonify, request

app = Flask(__name__)
tasks = [{"id": 1, "done": False}]

@app.route("/tasks/<int:task_id>", methods=["PUT"])
def update(task_id):
    found = [t for t in tasks if t["id"] == task_id]
    if len(found) == 0:
        abort(404)
    found[0]["done"] = request.json.get("done", True)
    return jsonify({"task": found[0]})

update(1)
print(tasks[0]["id"], len(tasks[0]))
