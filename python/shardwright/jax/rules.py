#===- rules.py - the CPU's lowering rules, for our platform -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Lowering rules that JAX, or the user, registers for the platform "cpu" apply to our platform too,
whenever they are registered: LAPACK calls, callbacks, sparse solvers, and the branches of
`jax.lax.platform_dependent`."""

from shardwright.jax import names


# The table of rules by platform.
PLACES = ("jax.interpreters.mlir:_platform_specific_lowerings", "jax._src.interpreters.mlir:_platform_specific_lowerings")


class Rules(dict):
    """Our own rules; lookups that fail there use the CPU's."""

    def __init__(self, own, behind):
        super().__init__(own)
        self._behind = behind

    def __contains__(self, primitive):
        return super().__contains__(primitive) or primitive in self._behind

    def __missing__(self, primitive):
        return self._behind[primitive]

    def get(self, primitive, default=None):
        return self[primitive] if primitive in self else default


def install(changes, plugin):
    import jax.debug  # the import registers its rules

    platform = plugin.platform
    rules = names.find(*PLACES)
    own = rules[platform]
    rules[platform] = Rules(own, rules["cpu"])
    changes.on_undo(lambda: rules.__setitem__(platform, own))


def install_platform_dependent(changes, plugin):
    """Rules that are keyed by platform inside a rule: of platform_dependent's index, and of
    pallas_call. A branch for the CPU is for our platform, too."""
    platform = plugin.platform

    def wrapper(lower):
        def lower_per_platform(ctx, description, platform_rules, *args, **kwargs):
            if "cpu" in platform_rules and platform not in platform_rules:
                platform_rules = {**platform_rules, platform: platform_rules["cpu"]}
            return lower(ctx, description, platform_rules, *args, **kwargs)

        return lower_per_platform

    changes.wrap(
        "jax._src.interpreters.mlir:lower_per_platform", takes=("ctx", "description", "platform_rules"), wrapper=wrapper
    )
    cond = names.find("jax.extend.core.primitives:cond_p", "jax._src.lax.control_flow.conditionals:cond_p")
    lower_cond = names.find("jax._src.lax.control_flow.conditionals:_cond_lowering", takes=("branches_platforms",))

    def rule(*args, branches_platforms=None, **params):
        if branches_platforms is not None:
            if not any(platform in branch for branch in branches_platforms if branch):
                branches_platforms = tuple(
                    (*branch, platform) if branch and "cpu" in branch else branch for branch in branches_platforms
                )
            params["branches_platforms"] = branches_platforms
        return lower_cond(*args, **params)

    # The default rule, because one of our platform would be emitted beside that of the other platforms in
    # programs for several, and nested conditionals would double at each level.
    changes.register_lowering(cond, rule)
