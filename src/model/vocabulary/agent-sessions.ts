/**
 * What a header of a coding agent tells. `session`: its session. `root`: the session that started this one; it is the session then, and
 * this one a place in it. `agent`: the agent within the session. `parent`: the agent that started that one. A property: under that name.
 */
export type AgentHeaderMeaning = 'session' | 'root' | 'agent' | 'parent' | { readonly property: string };

export interface AgentHeader {
  /** Lower case. */
  readonly name: string;
  readonly tells: AgentHeaderMeaning;
  readonly sentBy: string;
  /** Where the agent documents the header, or sets it. */
  readonly source: string;
}

const gatewayProtocol = 'https://code.claude.com/docs/en/llm-gateway-protocol';

/**
 * The headers by which coding agents name their sessions. They count where the caller has not named a session by a header of ours. Of two
 * rows that tell the same, the first counts.
 */
export const agentHeaders: readonly AgentHeader[] = [
  { name: 'x-claude-code-session-id', tells: 'session', sentBy: 'Claude Code', source: gatewayProtocol },
  { name: 'x-claude-code-agent-id', tells: 'agent', sentBy: 'Claude Code', source: gatewayProtocol },
  { name: 'x-claude-code-parent-agent-id', tells: 'parent', sentBy: 'Claude Code', source: gatewayProtocol },
  { name: 'x-claude-code-request-class', tells: { property: 'Request-Class' }, sentBy: 'Claude Code', source: gatewayProtocol },
  { name: 'x-claude-code-agent-type', tells: { property: 'Agent-Type' }, sentBy: 'Claude Code', source: gatewayProtocol },
  {
    name: 'x-qwen-code-session-id',
    tells: 'session',
    sentBy: 'Qwen Code, by its setting `customHeaders`',
    source: 'https://github.com/QwenLM/qwen-code/pull/4393',
  },
  {
    name: 'session-id',
    tells: 'session',
    sentBy: 'Codex, pi',
    source: 'https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/requests/headers.rs',
  },
  {
    name: 'thread-id',
    tells: 'agent',
    sentBy: 'Codex',
    source: 'https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/requests/headers.rs',
  },
  {
    name: 'x-openai-subagent',
    tells: { property: 'Request-Class' },
    sentBy: 'Codex',
    source: 'https://github.com/openai/codex/blob/main/codex-rs/core/src/client.rs',
  },
  {
    name: 'x-codex-parent-thread-id',
    tells: 'parent',
    sentBy: 'Codex',
    source: 'https://github.com/openai/codex/blob/main/codex-rs/core/src/client.rs',
  },
  {
    name: 'session_id',
    tells: 'session',
    sentBy: 'pi, Codex of 2025',
    source: 'https://github.com/earendil-works/pi/blob/main/packages/ai/src/api/openai-completions.ts',
  },
  {
    name: 'x-session-id',
    tells: 'session',
    sentBy: 'OpenCode, Kilo, pi',
    source: 'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts',
  },
  {
    name: 'x-parent-session-id',
    tells: 'root',
    sentBy: 'OpenCode, Kilo',
    source: 'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts',
  },
  {
    name: 'x-session-affinity',
    tells: 'session',
    sentBy: 'OpenCode, Kilo, pi',
    source: 'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts',
  },
];

interface AgentCacheKey {
  /** Its first group is the session, its second one the place in it. */
  readonly form: RegExp;
  readonly sentBy: string;
  readonly source: string;
}

const uuid = String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`;

/**
 * Forms of `prompt_cache_key` that hold the session of a coding agent. Other callers name a cache by it, such as one for all calls of an
 * application, and a cache is no session.
 */
export const agentCacheKeys: readonly AgentCacheKey[] = [
  {
    form: new RegExp(`^(${uuid})$`, 'i'),
    sentBy: 'Codex, pi',
    source: 'https://github.com/openai/codex/blob/main/codex-rs/core/src/client.rs',
  },
  {
    form: new RegExp(`^qwen-code:(${uuid})(?::(.{1,256}))?$`, 'i'),
    sentBy: 'Qwen Code',
    source: 'https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/core/openaiContentGenerator/prefix-caching.ts',
  },
  {
    form: /^(?:title-)?(ses_[0-9a-z]{20,40})$/i,
    sentBy: 'OpenCode, Kilo',
    source: 'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/provider/transform.ts',
  },
];

export interface AgentSession {
  readonly sessionId: string;
  readonly sessionPath?: string;
}

/** TRICKY: Kilo (7.7.9, `titleID`) names the call that makes up a session's title by an identifier of its own, made from the session's. */
const titleOfSession = /^title-(ses_[0-9a-z]{20,40})$/i;

/** The session of which a text in an agent's header names the title; undefined where it names a session. */
export function sessionOfTitle(text: string): string | undefined {
  return titleOfSession.exec(text)?.[1];
}

/** The session in a `prompt_cache_key`; undefined where it is no agent's. */
export function sessionOfCacheKey(key: string): AgentSession | undefined {
  for (const { form } of agentCacheKeys) {
    const [, sessionId, place] = form.exec(key) ?? [];
    if (sessionId !== undefined) return place === undefined ? { sessionId } : { sessionId, sessionPath: sessionPathOf([place]) };
  }
  return undefined;
}

/** A path with these levels, whose names may contain slashes. */
export function sessionPathOf(levels: readonly string[]): string {
  return `/${levels.map((level) => level.replaceAll('/', '%2F')).join('/')}`;
}
