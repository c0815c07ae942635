#!/usr/bin/env python3
"""Runs the benchmarks and writes docs/performance.md.

usage: performance_page.py [--build DIR] [--repetitions N] [--from FILE.json] [--out FILE.md] [--no-suite]

--from takes the JSON of an earlier `ringscope_bench --benchmark_out=FILE.json` instead of running it;
--no-suite leaves out the validation cases per minute, which need the program `ringscope`.
"""
import argparse
import json
import platform
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Iterable

ROOT = Path(__file__).resolve().parent.parent


def run_benchmarks(program: Path, repetitions: int) -> dict:
    out = program.parent / "performance.json"
    subprocess.run([program, f"--benchmark_repetitions={repetitions}", "--benchmark_enable_random_interleaving=true",
                    "--benchmark_min_time=0.1", f"--benchmark_out={out}", "--benchmark_out_format=json"],
                   check=True, stdout=sys.stderr)
    return json.loads(out.read_text())


class Results:
    """Medians over the repetitions, by a benchmark's name without Google Benchmark's endings."""

    def __init__(self, report: dict):
        runs: dict[str, list[dict]] = {}
        # Repetitions run interleaved; these are the indices of their registration.
        for run in sorted(report["benchmarks"], key=lambda r: (r["family_index"], r["per_family_instance_index"])):
            if run.get("run_type", "iteration") == "iteration" and not run.get("error_occurred"):
                name = run["run_name"].removesuffix("/real_time").removesuffix("/manual_time")
                runs.setdefault(name, []).append(run)
        self.runs = runs
        self.context = report["context"]

    def names(self, family: str) -> list[str]:
        return [name for name in self.runs if name.startswith(family + "/")]

    def milliseconds(self, name: str) -> float:
        return median(run["real_time"] for run in self.runs[name])  # every family uses this unit

    def flops(self, name: str) -> float:
        return median(run["flops"] for run in self.runs[name])


def words(name: str) -> dict[str, str]:
    """kernel/eigen/forward/d=64/s=1024/causal/threads=1 -> its parts by name."""
    _, kernel, part, dim, length, mask, threads = name.split("/")
    return {"kernel": kernel, "part": part, "D": dim[2:], "S": length[2:], "mask": mask, "threads": threads[8:]}


# Repetitions run interleaved, so benchmarks come in no order of their own.
def natural(name: str) -> list[object]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("|" + " --- |" * (lines[0].count("|") - 1))
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def peak_section(results: Results) -> list[str]:
    rows = [(name.split("/")[1], name.split("=")[1], f"{results.flops(name) / 1e9:.0f}")
            for name in results.names("peak")]
    return ["## Peak", "", "Fused multiply-adds alone, f32, ten independent chains, measured between the kernels' "
            "runs. Fractions below are of the first kind: the instructions that this build uses.", "",
            *table(("instructions", "threads", "GFLOP/s"), rows)]


def kernel_section(results: Results) -> list[str]:
    build = results.names("peak")[0].split("/")[1]
    rows = []
    for name in sorted(results.names("kernel"), key=natural):
        w = words(name)
        if w["part"] != "forward":
            continue
        row = [w["kernel"], w["D"], w["S"], w["mask"], w["threads"]]
        for part in ("forward", "backward"):
            flops = results.flops(name.replace("/forward/", f"/{part}/"))
            row += [f"{flops / 1e9:.1f}", f"{flops / results.flops(f'peak/{build}/threads=' + w['threads']):.2f}"]
        rows.append(row)
    return ["## Kernels", "",
            "f32, two heads. FLOPs are what the mask leaves: 4 D per pair forward, 10 D backward.", "",
            *table(("kernel", "D", "S", "mask", "threads", "forward GFLOP/s", "of peak", "backward GFLOP/s", "of peak"),
                   rows)]


def rank_section(results: Results) -> list[str]:
    times = {name.removeprefix("ranks/"): results.milliseconds(name) for name in results.names("ranks")}
    problem_of = lambda line: line.split("|")[0].strip()
    alone = {problem_of(line): milliseconds for line, milliseconds in times.items() if line.endswith("r1")}
    rows = [(f"`{line}`".replace("|", "\\|"), f"{times[line]:.0f}", f"{alone[problem_of(line)] / times[line]:.2f}")
            for line in sorted(times, key=lambda line: (problem_of(line), not line.endswith("r1")))]
    return ["## Ranks as threads", "", "The same problem on the same cores; speed is relative to one rank.", "",
            *table(("case", "ms", "speed"), rows)]


def proof_section(results: Results) -> list[str]:
    rows = [(f"`{name.removeprefix('proof/')}`".replace("|", "\\|"), f"{results.milliseconds(name):.0f}")
            for name in sorted(results.names("proof"))]
    return ["## Building and proving a plan", "", *table(("case", "ms"), rows)]


def suite_section(program: Path) -> list[str]:
    begin = time.monotonic()
    run = subprocess.run([program, "verify", "--suite", "ci", "--json"], stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - begin
    summary = json.loads(run.stdout.splitlines()[-1])["summary"]
    cases = sum(summary.values())
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in summary.items() if count)
    return ["## Validation", "", f"`ringscope verify --suite ci`: {cases} cases ({verdicts}) in {seconds:.0f} s, "
            f"{60 * cases / seconds:.0f} cases per minute."]


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
             ] if info.exists() else []
    return names[0] if names else platform.machine()


def page(results: Results, suite: list[str]) -> str:
    head = ["# Performance", "",
            "Made by `./dev bench`; do not edit. Medians of interleaved repetitions on one machine, "
            f"{processor()}, {results.context['num_cpus']} cores. On a shared machine a line may be off by a third.",
            ""]
    sections = [peak_section(results), kernel_section(results), rank_section(results), proof_section(results), suite]
    return "\n".join(head + [line for section in sections if section for line in [*section, ""]]).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs the benchmarks and writes docs/performance.md.")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="build folder")
    parser.add_argument("--repetitions", type=int, default=5, help="runs of each benchmark; the median counts")
    parser.add_argument("--from", dest="source", type=Path, help="JSON of an earlier run of ringscope_bench")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "performance.md", help="the page")
    parser.add_argument("--no-suite", action="store_true", help="leave out the validation cases per minute")
    arguments = parser.parse_args()
    report = (json.loads(arguments.source.read_text()) if arguments.source else
              run_benchmarks(arguments.build / "benchmarks" / "ringscope_bench", arguments.repetitions))
    suite = [] if arguments.no_suite else suite_section(arguments.build / "tools" / "ringscope")
    arguments.out.write_text(page(Results(report), suite))
    print(f"wrote {arguments.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
