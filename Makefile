# SPDX-License-Identifier: Apache-2.0
# Two commands are all a new user needs: `make demo` and `make test`. Each installs what is missing, once, and says so.

SWIFT ?= swift
STRICT = CERULEAN_STRICT=1
SECONDS ?= 60

.PHONY: demo test test-all bench fuzz soak lint format docs clean

demo:  ## a simulated room: scan, connect, stream, record; no hardware needed
	@Scripts/setup demo
	$(SWIFT) build -c release --product cerulean
	@$$($(SWIFT) build -c release --show-bin-path)/cerulean demo --seconds 5 --output out/demo

test:  ## everything that must hold, with Bumble, RootCanal and a Linux kernel as peers
	@Scripts/setup test
	$(STRICT) Scripts/test

test-all: lint test  ## the same, and thread sanitizer and long runs
	$(STRICT) Scripts/test-all

bench:  ## cost per operation, with Bumble beside it
	@Scripts/setup test
	Scripts/bench

fuzz:  ## coverage-guided fuzzing of all targets for SECONDS seconds in all
	Scripts/fuzz $(SECONDS)

soak:  ## many random scenarios, and a thousand links for a minute and for a day, on virtual time; fifty killed recordings
	@Scripts/setup test
	$(SWIFT) build -c release --product fuzz-cerulean
	$(SWIFT) build -c release --product cerulean
	$$($(SWIFT) build -c release --show-bin-path)/fuzz-cerulean --inputs 0 --scenarios 10000
	$$($(SWIFT) build -c release --show-bin-path)/fuzz-cerulean --links 1000 --period 10 --duration 60
	$$($(SWIFT) build -c release --show-bin-path)/fuzz-cerulean --links 1000 --period 1000 --duration 86400
	.venv/bin/python Tests/Peers/kill_recordings.py $$($(SWIFT) build -c release --show-bin-path)/cerulean 50

lint:  ## format rules and length of files
	Scripts/lint

format:  ## rewrite the sources to the format rules
	$(SWIFT) format -i -r -p Package.swift Sources Tests Examples

docs:  ## DocC archives of all modules into out/docs
	@Scripts/setup docs
	$(STRICT) Scripts/docs

clean:
	rm -rf .build out
