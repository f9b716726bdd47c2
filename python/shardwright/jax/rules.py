#===- rules.py - the CPU's lowering rules, for our platform -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Lowering rules that JAX, or the user, registers for the platform "cpu" apply to our platform too,
whenever they are registered: LAPACK calls, callbacks, sparse solvers, and the branches of
`jax.lax.platform_dependent`."""


class Rules(dict):
    """Our own rules; lookups that fail there use the CPU's."""

    def __init__(self, own, behind):
        super().__init__(own)
        self._behind = behind

    def __contains__(self, primitive):
        return super().__contains__(primitive) or primitive in self._behind

    def __missing__(self, primitive):
        return self._behind[primitive]


def install(platform):
    import jax._src.debugging  # the import registers its rules
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    rules = mlir._platform_specific_lowerings
    rules[platform] = Rules(rules[platform], rules["cpu"])

    # Rules that are keyed by platform inside a rule: of platform_dependent's index, and of
    # pallas_call.
    lower = mlir.lower_per_platform

    def lower_per_platform(ctx, description, platform_rules, *args, **kwargs):
        if "cpu" in platform_rules and platform not in platform_rules:
            platform_rules = {**platform_rules, platform: platform_rules["cpu"]}
        return lower(ctx, description, platform_rules, *args, **kwargs)

    mlir.lower_per_platform = lower_per_platform

    lower_cond = conditionals._cond_lowering

    def cond(ctx, index, *args, branches_platforms=None, **params):
        if branches_platforms is not None:
            if not any(platform in names for names in branches_platforms if names):
                branches_platforms = tuple(
                    (*names, platform) if names and "cpu" in names else names for names in branches_platforms
                )
            params["branches_platforms"] = branches_platforms
        return lower_cond(ctx, index, *args, **params)

    mlir.register_lowering(conditionals.cond_p, cond, platform=platform)
