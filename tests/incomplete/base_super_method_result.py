class ProfileView(DetailView):
    def get_context_data(self, **kwargs):
        context = super().get_context_data(**kwargs)
        context["today"] = date_today()
        context["form"] = self.form_class(initial=self.initial)
        return context

view = ProfileView()
ctx = view.get_context_data(pk=3)
print("rendered")
