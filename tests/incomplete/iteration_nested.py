cells = 0
for row in table.rows:
    for cell in row:
        cells += 1
        if cell.is_empty:
            continue
print(cells > 0)
