"""Every view of the page as a picture: phone and desktop, light and dark."""

import pathlib
import sys

from served import Gateway, eventually
from shown import DESKTOP, PHONE, Shown, browser, views


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=30")["count"] > 15)
    places = views(gateway)
    with browser() as chromium:
        for viewport in (PHONE, DESKTOP):
            for scheme in ("light", "dark"):
                shown = Shown(chromium, gateway, viewport=viewport, color_scheme=scheme)

                def take(name, page=shown.page, end=f"-{viewport['width']}x{viewport['height']}-{scheme}.png"):
                    page.screenshot(path=folder / f"{name}{end}")

                shown.page.goto(gateway.url)
                take("door")
                shown.sign_in()
                for name, path in places.items():
                    shown.go(*path)
                    eventually("it has loaded", lambda: shown.page.get_by_text("Loading …").count() == 0)
                    shown.page.wait_for_timeout(700)
                    take(name)
                shown.close()
    gateway.close()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


main(sys.argv[1])
