from seleniumish import webdriver
from seleniumish.common.keys import Keys

driver = webdriver.Chrome()
driver.get("http://example.org")
box = driver.find_element("name", "q")
box.send_keys("rust" + Keys.RETURN)
for link in driver.find_elements("tag name", "a"):
    href = link.get_attribute("href")
assert "rust" in driver.title
driver.quit()
print("closed")
