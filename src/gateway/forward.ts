import type { ServerResponse } from 'node:http';
import { type Arrival, authorize, checkHead, identifyCall, readCall, routeByHead, takesLogOrSpans, verify } from './stages/authorize.ts';
import { captureForCache, lookUpCache, releaseLease } from './stages/cache-lookup.ts';
import type { AuthenticatedCall, Call, RecordedCall, RequestPlan } from './call/call.ts';
import { receivedBody, scanOf } from './stages/call-body.ts';
import { carryOut, recordRequest } from './stages/carry-out.ts';
import { beginExchange, rejectOpen, rejectRecorded, rejectUnauthenticated } from './call/exchange.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import type { RequestBody } from './http/request-body.ts';
import { customProviderName } from '../model/providers/providers.ts';
import { withLimits } from './stages/plan.ts';
import type { ForwardPorts } from './call/ports.ts';
import { address, planCall, readBodyOf, withLargeSummaries } from './stages/prepare.ts';
import { run, settled, type Steps, valueOf, type Wait } from './stages/waits.ts';

/** Forwards one call; `relay/relay.ts` has the way back. */
export function forward(ports: ForwardPorts, request: IncomingRequest, response: ServerResponse): void {
  run(forwarding(ports, { request, response, openedAt: ports.clock.now(), startedAt: ports.clock.monotonic() }));
}

/**
 * The steps of a call, each with what the later ones need. Whatever one of them throws is the refusal: without a record until the key is
 * verified and may send, after that on record.
 */
function* forwarding(ports: ForwardPorts, arrival: Arrival): Steps {
  const { clock, scheduler } = ports;
  let call: Call | undefined;
  let admitted: AuthenticatedCall | undefined;
  let provider = customProviderName;
  let body: RequestBody | undefined;
  let readyAt: number | undefined;
  let plan: RequestPlan | undefined;
  let open: RecordedCall | undefined;
  try {
    call = readCall(ports, arrival);
    const verdict = verify(ports, call);
    const admission = authorize(ports, call, verdict instanceof Promise ? yield* settled(verdict) : verdict);
    if (takesLogOrSpans(ports, call, admission.principal)) return;

    admitted = identifyCall(ports, call, admission);
    readyAt = admitted.admittedAt;
    const pathRoute = routeByHead(ports, call);
    ({ provider } = pathRoute);
    checkHead(ports, admitted);

    readyAt = undefined;
    body = yield* valueOf(receivedBody(ports, admitted, pathRoute));
    const scan = scanOf(ports, admitted, body);
    if (scan !== undefined) yield scan;
    readyAt = clock.monotonic();
    if (!scheduler.hasTime(readyAt)) yield turnOf(ports, admitted);

    const read = readBodyOf(ports, admitted, pathRoute, body);
    const addressed = address(ports, read);
    ({ provider } = addressed.route);
    const planned = planCall(ports, read, addressed);
    const summariesRead = withLargeSummaries(ports, read, planned);
    plan = summariesRead === undefined ? planned : yield* settled(summariesRead);
    ({ provider } = plan.route);
    ({ admitted } = read);

    if (call.head.directives.cache !== undefined) {
      const found = yield* valueOf(lookUpCache(ports, admitted, plan, call.head.directives.cache));
      ({ plan } = found);
      if (found.hasWaited) {
        // One response may release many waiting calls in the same tick.
        readyAt = clock.monotonic();
        if (!scheduler.hasTime(readyAt)) yield turnOf(ports, admitted);
      }
    }

    const limited = withLimits(ports, admitted, plan);
    open = beginExchange(ports, admitted, provider, limited);
    recordRequest(open, body, limited);
    open.relay.overheadMs = admitted.admittedAt - call.startedAt + clock.monotonic() - readyAt;
    open = captureForCache(ports, admitted, open, limited);
    carryOut(ports, open, limited);
  } catch (error) {
    refuse(ports, { arrival, call, admitted, provider, body, readyAt, plan, open }, error);
  }
}

/** The later tick in which a call goes on where this one has spent its time for calls. */
function turnOf({ scheduler }: ForwardPorts, { admission }: AuthenticatedCall): Wait {
  return (resume) => scheduler.later(admission.principal.organizationId, resume);
}

/** How far a call came that is refused. */
interface Reached {
  readonly arrival: Arrival;
  readonly call: Call | undefined;
  readonly admitted: AuthenticatedCall | undefined;
  readonly provider: string;
  readonly body: RequestBody | undefined;
  /** Monotonic time at which it was admitted, or its last wait ended; undefined while it waits for its body. */
  readonly readyAt: number | undefined;
  readonly plan: RequestPlan | undefined;
  readonly open: RecordedCall | undefined;
}

function refuse(ports: ForwardPorts, reached: Reached, error: unknown): void {
  const { arrival, call, admitted, provider, body, plan, open } = reached;
  if (plan !== undefined) releaseLease(plan);
  if (open !== undefined) rejectOpen(ports, open, error);
  else if (admitted === undefined) {
    const { aliased } = call?.head.directives ?? { aliased: false };
    rejectUnauthenticated(ports, { ...arrival, aliased }, error);
  } else {
    const waitedMs = (reached.readyAt ?? ports.clock.monotonic()) - admitted.admittedAt;
    rejectRecorded(ports, admitted, { provider, waitedMs, body, plan }, error);
  }
}
