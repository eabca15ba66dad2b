"""Uncaught ModuleNotFoundError at module level."""
import os.path as osp
import xml.etree.ElementTree as ET, json

print(osp.basename("/a/b.txt"), ET.fromstring("<a b='1'/>").get("b"), json.loads("[1]"))
import package_that_is.not_there.at_all as nope

print(nope)
