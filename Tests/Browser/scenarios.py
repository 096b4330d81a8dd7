"""Runs the scenarios: each is a function of a browser, in the modules below."""

import sys
import time
import traceback

import accessible
import annexes
import asking
import bell
import brokers
import chatting
import crowded
import deciding
import documented
import doors
import heavy
import joining
import living
import looking
import my_radio
import newcomers
import pushes
import reachable
import rules
import sent
import setting_up
import side_by_side
import six_pages
import steady
import strange
import talking
import targets
import telling
import told
import your_token
from page_figures import figures
from served import Gateway
from shown import browser, picture

SMOKE = [chatting.test_signing_in_reading_sending_and_receiving, setting_up.test_a_new_radio_is_met_once_and_can_be_put_aside]


def all_scenarios():
    modules = (chatting, setting_up, crowded, sent, deciding, telling, asking, documented, bell, brokers, talking, rules, targets, pushes, doors, side_by_side, six_pages, living, told, your_token, my_radio, joining, looking, steady, annexes, newcomers, strange, reachable, accessible, heavy)
    for module in modules:
        yield from (value for name, value in vars(module).items() if name.startswith("test_"))


def main(words):
    if words[:1] == ["--figures"]:
        try:
            return figures(*words[1:])
        finally:
            for gateway in list(Gateway.running):
                gateway.close()
    chosen = SMOKE if words == ["--smoke"] else [one for one in all_scenarios() if not words or any(word in one.__name__ for word in words)]
    failed = 0
    with browser() as chromium:
        for scenario in chosen:
            began = time.monotonic()
            try:
                scenario(chromium)
                print(f"passed  {scenario.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED  {scenario.__name__}\n{traceback.format_exc()}", flush=True)
                for place, page in enumerate(page for context in chromium.contexts for page in context.pages):
                    picture(page, f"{scenario.__name__}-{place}")
            for context in chromium.contexts:
                context.close()
            for gateway in list(Gateway.running):
                gateway.close()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


sys.exit(main(sys.argv[1:]))
