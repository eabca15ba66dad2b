from djangoish.db import models
from djangoish.shortcuts import get_object_or_404, render

class Ticket(models.Model):
    title = models.CharField(max_length=100)
    owner = models.ForeignKey(User, on_delete=models.CASCADE)

    def __str__(self):
        return self.title

def detail(request, pk):
    ticket = get_object_or_404(Ticket, pk=pk)
    if request.method == "POST":
        form = TicketForm(request.POST, instance=ticket)
        if form.is_valid():
            form.save()
            return "redirect"
    return render(request, "detail.html", {"t": ticket})

print(detail(http_request, 1))
