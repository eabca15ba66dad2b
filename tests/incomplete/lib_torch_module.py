import torchish.nn as nn

class Net(nn.Module):
    def __init__(self, hidden):
        super(Net, self).__init__()
        self.hidden = hidden
        self.fc1 = nn.Linear(784, hidden)
        self.drop = nn.Dropout(p=0.5)

    def forward(self, x):
        x = self.drop(self.fc1(x))
        return x.view(-1, self.hidden)

net = Net(64)
net.forward(batch)
opt = Adam(net.parameters(), lr=1e-3)
print(net.hidden)
