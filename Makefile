# The entry points of the project. Each target is a script or a CMake preset that can also be
# run by hand; `make` alone lists them.

.DEFAULT_GOAL := help
.PHONY: help bootstrap build demo docs test test-long test-newest-jax test-processes test-sanitize test-tsan test-frontend-asan test-mutations test-browser test-pytorch fuzz bench examples wheel format clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */\1|/' | \
	  awk -F'|' '{ printf "  make %-16s %s\n", $$1, $$2 }'

bootstrap: ## install what is missing (Debian packages, venvs with jax)
	@scripts/bootstrap.sh

build: bootstrap ## build/bin/shardwright and build/bin/shardwright-opt
	@scripts/build.sh release

demo: ## partition and run a transformer block and a GPT on 8 virtual devices
	@scripts/bootstrap.sh packages
	@scripts/build.sh release shardwright
	@scripts/demo.sh

test: build ## every suite, random tests with a seeded sample (under 15 minutes)
	@scripts/run_tests.py

test-long: build ## every suite, random tests in full
	@scripts/run_tests.py --long

test-newest-jax: build ## the whole of test/jax on the newest JAX (Python 3.12 or newer)
	@test -x .venv-newest/bin/python || { echo "test-newest-jax: SKIPPED: no .venv-newest (scripts/bootstrap.sh)"; exit 0; }; \
	  SHARDWRIGHT_PYTHON=$(CURDIR)/.venv-newest/bin/python scripts/run_tests.py jax

test-processes: build ## JAX programs in several processes
	@scripts/run_tests.py processes

test-sanitize: bootstrap ## unit, lit and end-to-end tests under ASan and UBSan, short fuzz runs
	@scripts/build.sh sanitize
	@scripts/run_tests.py --build build-sanitize unit lit end_to_end fuzz

test-tsan: bootstrap ## tests of the executor, the runtime, the front end and automatic sharding under ThreadSanitizer
	@scripts/build.sh release tsan_runtime_test tsan_frontend_test tsan_auto_test
	@export TSAN_OPTIONS="suppressions=test/sanitizers/suppressions.txt halt_on_error=1 second_deadlock_stack=1"; \
	  build/bin/tsan_runtime_test --gtest_brief=1 && build/bin/tsan_frontend_test --gtest_brief=1 && \
	  build/bin/tsan_auto_test --gtest_brief=1

SEQUENCES ?= 10000
test-frontend-asan: bootstrap ## the front end under ASan and UBSan, with SEQUENCES random call sequences of each kind
	@scripts/build.sh release asan_frontend_test
	@export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0 \
	  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 RC_PARAMS=max_success=$(SEQUENCES); \
	  build/bin/asan_frontend_test --gtest_brief=1

test-browser: build ## the page of HTML reports in Chromium, which this installs
	@scripts/bootstrap.sh browser
	@scripts/run_tests.py -v browser

test-pytorch: build ## PyTorch programs on the plugin, which this installs (PyTorch and PyTorch/XLA, 7 GB)
	@scripts/bootstrap.sh pytorch
	@scripts/run_tests.py -v pytorch

test-mutations: bootstrap ## deliberate bugs, one at a time: the suites find each (over an hour)
	@scripts/mutation_check.py

FUZZ_SECONDS ?= 300
fuzz: bootstrap ## each fuzz target for FUZZ_SECONDS seconds
	@scripts/build.sh sanitize fuzz_targets
	@scripts/fuzz.py --seconds $(FUZZ_SECONDS)

bench: build ## peers side by side: bytes sent, compile times, parsing
	@benchmarks/run.sh

docs: ## the reference of the public C++ headers in build/docs/html/
	@scripts/make_docs.sh

wheel: bootstrap ## the Python package (the plugin for JAX, the sharding algebra) in build/wheel/
	@scripts/build.sh release shardwright_pjrt
	@SHARDWRIGHT_BUILD=build .venv/bin/python -m pip wheel --no-index --disable-pip-version-check -w build/wheel .

examples: bootstrap ## export the example programs from JAX again
	@scripts/export_examples.sh

format: ## clang-format all sources
	@git ls-files '*.cc' '*.h' ':!third_party' | xargs clang-format-22 -i

clean: ## remove the build folders
	rm -rf build build-sanitize build-mutations build-wheel
