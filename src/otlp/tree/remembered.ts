import type { PositionedRequest, ReceivedTrace, TreeNode } from './position.ts';

/** Bytes that one request of OTLP may make remembered. */
const maxRequestBytes = 4 * 1024 * 1024;

/** Of a node or a request without its texts, with its place in a map. */
const entryBytes = 200;
const bytesOfCharacter = 2;

/** Bytes that a node holds in memory. */
export function bytesOfNode({ spanId, parentSpanId, level, sessionId, sessionName, userId, context }: TreeNode): number {
  const characters = spanId.length + parentSpanId.length + level.length + sessionId.length + sessionName.length + userId.length;
  return entryBytes + bytesOfCharacter * characters + bytesOfContext(context);
}

/** Bytes that a request holds in memory. */
export function bytesOfRequest({ requestId, spanId, sessionId, sessionPath, properties = [] }: PositionedRequest): number {
  const characters = requestId.length + spanId.length + sessionId.length + sessionPath.length;
  return (
    entryBytes + bytesOfCharacter * characters + properties.reduce((sum, name) => sum + bytesOfProperty + bytesOfCharacter * name.length, 0)
  );
}

/** What of a request's traces is remembered for ancestors that are still to come. */
export interface RememberedTraces {
  readonly traces: readonly ReceivedTrace[];
  /** Requests whose places stay as they are, as more came at once than is remembered. */
  readonly dropped: number;
}

/** Leaves out traces beyond what one request may make remembered, and requests that have all their ancestors. */
export function rememberedOf(received: readonly ReceivedTrace[], maxBytes = maxRequestBytes): RememberedTraces {
  const traces: ReceivedTrace[] = [];
  let [bytes, dropped] = [0, 0];
  for (const { traceId, nodes, requests } of received) {
    const open = requests.filter(({ isRooted }) => !isRooted);
    const more = nodes.reduce((sum, node) => sum + bytesOfNode(node), 0) + open.reduce((sum, each) => sum + bytesOfRequest(each), 0);
    if (bytes + more > maxBytes) dropped += open.length;
    else {
      bytes += more;
      traces.push({ traceId, nodes, requests: open });
    }
  }
  return { traces, dropped };
}

const bytesOfProperty = 64;

function bytesOfContext(context: TreeNode['context'] = []): number {
  return context.reduce((sum, { name, value }) => sum + bytesOfProperty + bytesOfCharacter * (name.length + value.length), 0);
}
