from . import models
from .utils import slugify
from ..core.settings import DEFAULTS as defaults

def save(title):
    post = models.Post(slug=slugify(title))
    post.lang = defaults["lang"]
    post.save()
    return title

print(save("My title"))
