import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import type { MetadataQueries } from '../../metadata/database.ts';
import { systemClock } from '../../platform/clock.ts';
import { threadCpuClock, threadIdleTime } from '../../platform/thread-cpu-time.ts';
import { BoundedRedactor } from '../redaction/bounded.ts';
import { LaterTexts, type RedactionRulesOf } from '../redaction/later-texts.ts';

const clocks = { monotonic: systemClock.monotonic, threadTime: threadCpuClock(), idleTime: threadIdleTime };

export const newRedactor = (): BoundedRedactor => new BoundedRedactor(clocks);
export const newLaterTexts = (rulesOf: RedactionRulesOf): LaterTexts => new LaterTexts(rulesOf, clocks);

export function storedRules(database: MetadataQueries): RedactionRulesOf {
  const rules = new RedactionRules(database, systemClock);
  return (organizationId) => rules.of(organizationId);
}
