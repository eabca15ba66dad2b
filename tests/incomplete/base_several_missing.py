class ArticleList(LoginRequiredMixin, ListView):
    model = Article
    template_name = "articles/list.html"
    paginate_by = 20

    def get_queryset(self):
        user = self.request.user
        return self.model.objects.filter(author=user)

    def describe(self):
        return "%s/%d" % (self.template_name, self.paginate_by)

view = ArticleList()
view.get_queryset()
print(view.describe())
