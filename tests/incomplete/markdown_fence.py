```python
rows = cursor.fetchall()
for row in rows:
    first = row[0]
print("rows")
```
