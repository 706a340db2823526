import type { AnswerMcp } from '../../mcp/http.ts';
import { systemClock } from '../../platform/clock.ts';

interface McpParts {
  readonly version: string;
  readonly baseUrl: () => string;
}

/** Answers calls of tools. The protocol's library takes 25 MB, so it is loaded for the first call. */
export function makeMcpPorts({ version, baseUrl }: McpParts): {
  readonly answerMcp: AnswerMcp;
  readonly serverOrigins: () => readonly string[];
} {
  let answer: Promise<AnswerMcp> | undefined;
  return {
    answerMcp: async (call) => {
      answer ??= import('../../mcp/http.ts').then(({ makeAnswerMcp }) =>
        makeAnswerMcp({ version, publicUrl: baseUrl, now: systemClock.now }),
      );
      return (await answer)(call);
    },
    serverOrigins: () => serverOriginsOf(baseUrl()),
  };
}

/** The address under its name, and under the other names of this machine. */
export function serverOriginsOf(baseUrl: string): readonly string[] {
  if (!URL.canParse(baseUrl)) return [];
  const { origin, protocol, hostname, port } = new URL(baseUrl);
  // An origin leaves out the protocol's own port.
  return localNames.includes(hostname) ? localNames.map((name) => new URL(`${protocol}//${name}:${port}`).origin) : [origin];
}

const localNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
