import numlike as np

def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))

w = np.zeros((X.shape[1], 1))
for epoch in range(3):
    pred = sigmoid(X @ w)
    grad = X.T.dot(pred - y) / len(y)
    w -= learning_rate * grad
print("epochs", epoch + 1)
