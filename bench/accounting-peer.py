"""dp-accounting on the same compositions as accounting.mjs: a line of JSON in, {"seconds": S, "epsilon": E} out."""
import json
import sys
import time


from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant


def account(request):
    gaussian = dp_event.GaussianDpEvent(request["noiseMultiplier"])
    event = dp_event.SelfComposedDpEvent(
        dp_event.PoissonSampledDpEvent(request["sampleRate"], gaussian), request["steps"]
    )
    start = time.perf_counter()
    accountant = RdpAccountant() if request["way"] == "rdp" else PLDAccountant(value_discretization_interval=1e-4)
    accountant.compose(event)
    epsilon = accountant.get_epsilon(request["delta"])
    return {"seconds": time.perf_counter() - start, "epsilon": epsilon}


print(json.dumps({"peer": "dp-accounting"}), flush=True)
for line in sys.stdin:
    print(json.dumps(account(json.loads(line))), flush=True)
