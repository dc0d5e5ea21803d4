"""The routes of the application."""

from typing import Any

import app


def test_a_path_without_variable_parts_has_the_route_that_the_map_finds():
    routes: Any = app.create_routes()
    found = {
        (method, path): routes.url_map.bind("", "", default_method=method, path_info=path).match(
            return_rule=True
        )
        for method, path in routes.fixed_routes
    }
    assert found == {key: (rule, {}) for key, rule in routes.fixed_routes.items()}
    assert ("GET", "/api/v1/fetch/subscribers") in found
    assert not any(rule.arguments for rule, _ in found.values())
