import type { CallFacts } from './call-facts.ts';
import { unknownProvider } from './provider.ts';
import type { Usage } from '../dialects/usage.ts';

/** What other spans tell of the same call stands in for what the first leaves out. */
export function completed(facts: CallFacts, others: readonly CallFacts[]): CallFacts {
  return others.reduce(completedBy, facts);
}

function completedBy(facts: CallFacts, other: CallFacts): CallFacts {
  const texts = Object.entries(facts.texts).map(([name, text]) => [name, text || other.texts[name as keyof CallFacts['texts']]]);
  return {
    ...facts,
    texts: Object.fromEntries(texts) as CallFacts['texts'],
    provider: facts.provider === unknownProvider ? other.provider : facts.provider,
    address: facts.address || other.address,
    finishReasons: facts.finishReasons.length > 0 ? facts.finishReasons : other.finishReasons,
    parameters: { ...other.parameters, ...facts.parameters },
    usage: isRicher(other.usage, facts.usage) ? other.usage : facts.usage,
    conversation: {
      messages: facts.conversation.messages ?? other.conversation.messages,
      choices: facts.conversation.choices ?? other.conversation.choices,
      tools: facts.conversation.tools ?? other.conversation.tools,
      input: facts.conversation.input ?? other.conversation.input,
      output: facts.conversation.output ?? other.conversation.output,
    },
    firstTokenMs: facts.firstTokenMs ?? other.firstTokenMs,
    statusCode: facts.statusCode ?? (facts.hasFailed ? other.statusCode : undefined),
    costUsd: facts.costUsd ?? other.costUsd,
  };
}

/** The provider's own usage says more than counts; the whole of it more than parts, as it has fees too. */
function isRicher(other: Usage, usage: Usage): boolean {
  if (other.anthropic !== undefined) return Object.keys(usage.anthropic ?? {}).length < Object.keys(other.anthropic).length;
  return Object.keys(usage).length === 0;
}
