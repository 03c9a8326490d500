#!/usr/bin/env bash
# Test the library with the oldest supported NumPy, SciPy and llvmlite, then without llvmlite.
#
# Wants Python 3.10 or 3.11, for which the oldest llvmlite has wheels: $PYTHON_OLDEST, or the first
# one found. Arguments go to pytest; without any, all tests run that need neither ROS nor Pinocchio,
# which has no wheels for NumPy 1.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
environment=.venv-oldest
python=$environment/bin/python
lock=requirements/lock-oldest.txt

suits() {
    "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 12))' 2>/dev/null
}

install() {
    for candidate in ${PYTHON_OLDEST:-python3.10 python3.11 python3 .venv/bin/python}; do
        if suits "$candidate"; then
            echo "Installing the oldest supported versions into $environment (once) ..."
            rm -rf $environment
            "$candidate" -m venv $environment &&
                $python -m pip install --quiet --disable-pip-version-check -r $lock &&
                touch $environment/.installed
            return
        fi
    done
    echo "no Python 3.10 or 3.11 found; set PYTHON_OLDEST to one" >&2
    return 2
}

if [ ! -e $environment/.installed ] || [ $lock -nt $environment/.installed ]; then
    install || exit
fi

if [ $# -eq 0 ]; then
    mapfile -t files < <(
        grep -rLE 'pinocchio|mujoco|peers|known_robots|identities|mutations|backends|rclpy' --include='test_*.py' test |
            grep -vE '^test/(packaging|ros)/' | sort
    )
    set -- "${files[@]}"
fi

# The checkout is not installed there: a folder on the path gives the nodes their name.
mkdir -p $environment/names $environment/without_llvmlite
ln -sfn "$PWD/nodes" $environment/names/dynamics_nodes
# None in sys.modules is Python's mark of a module that cannot be imported.
echo 'import sys; sys.modules["llvmlite"] = None' > $environment/without_llvmlite/sitecustomize.py

failed=0
run() {
    $python - <<'END'
import numpy
try:
    from llvmlite import __version__ as compiler
except ImportError:
    compiler = "absent"
print(f"NumPy {numpy.__version__}, llvmlite {compiler}", flush=True)
END
    $python -m pytest -n 2 --dist loadscope "$@" || failed=1
}

export PYTHONPATH=$PWD/$environment/names
run "$@"

# Simulations take NumPy alone too long, and the compiler's own tests need the compiler.
for file; do
    [[ $file == test/simulation/* || $file == test/compiler/* ]] || rest+=("$file")
done
PYTHONPATH+=:$PWD/$environment/without_llvmlite
[ -z "${rest:-}" ] || run "${rest[@]}"
exit $failed
