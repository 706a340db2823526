import { createContext, Script } from 'node:vm';
import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import { compileRules, type Redactor, type Redactors } from '../../redaction/redactor.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';
import { redactTexts, redactEverything } from './redact-texts.ts';

/** Texts that may be stored. `failure`: the rules could not be applied, so the texts that they concern were left out. */
export interface Redacted {
  readonly texts: RecordTexts;
  readonly failure?: string;
}

/** Compiled rules of an organisation. */
interface Prepared {
  /** Undefined: a pattern cannot be used. */
  readonly redactors: Redactors | undefined;
  /** Redactors that empty the same places, for when the rules fail. */
  readonly places: Redactors;
  readonly patterns: number;
}

/** Max time of the rules for one record. A pattern takes about 20 ms per MiB of text, 200 ms where it matches. */
export interface RedactionLimits {
  readonly ms: number;
  readonly msPerMiB: number;
}

const defaultLimits: RedactionLimits = { ms: 1000, msPerMiB: 1000 };

/** Clocks in milliseconds. */
export interface RedactionClocks {
  /** Never steps back. */
  readonly monotonic: () => number;
  /** CPU time of this thread; undefined where unknown, then elapsed time counts. */
  readonly threadTime: () => number | undefined;
}

/** A timer adds 0.1 ms to a record; the built-in kinds process a short text in less. */
const maxUntimedCharacters = 64 * 1024;
/**
 * TRICKY: the timer measures elapsed time, and this thread has a low priority. If it hardly got CPU time, the record is retried with this
 * many times the timeout, up to a max.
 */
const timeoutFactor = 4;
const maxTimeoutMs = 10_000;
/** Time of rules that delays nobody: about as much as the rest of interpretation, for short and long records. */
const ordinaryMs = 1;
const ordinaryMsPerMiB = 250;
/**
 * Max time beyond that for an organisation's records in a minute. After it their texts are left out untried for the rest of the minute,
 * because other organisations wait.
 */
const maxOverrunMs = 5000;
/** With less of it left, nothing is tried. */
const minRemainingMs = 1;
const overrunWindowMs = 60_000;
/** Max compiled patterns in memory; each may grow to some megabytes in use. */
const maxPatterns = 64;
const maxRuleSets = 1000;
const maxOverruns = 1000;

const untimed = (): number => 0;
const emptying: Redactor = { text: () => '', number: () => undefined };

/** Applies the redaction rules of organisations in bounded time. Invariant: text that they could not be applied to is never returned. */
export class BoundedRedactor {
  private readonly clocks: RedactionClocks;
  private readonly limits: RedactionLimits;
  private readonly prepared = new Map<string, Prepared>();
  private patterns = 0;
  private readonly overruns = new Map<OrganizationId, { readonly since: number; readonly ms: number }>();
  private readonly sandbox: { work: () => RecordTexts };
  private readonly run: (timeout: number) => RecordTexts;

  constructor(clocks: RedactionClocks, limits: RedactionLimits = defaultLimits) {
    this.clocks = clocks;
    this.limits = limits;
    const sandbox = {
      work: (): RecordTexts => {
        throw new Error('no work was given');
      },
    };
    const context = createContext(sandbox);
    // TRICKY: only a script can be interrupted on its own thread, with everything that it calls.
    const script = new Script('work()');
    this.sandbox = sandbox;
    this.run = (timeout) => script.runInContext(context, { timeout }) as RecordTexts;
  }

  /** Applies rules, in their order, to the texts of one record. */
  apply(organizationId: OrganizationId, rules: readonly RedactionRule[], texts: RecordTexts): Redacted {
    const remainingMs = this.overrunRemainingMs(organizationId);
    if (remainingMs < minRemainingMs) {
      return { texts: redactEverything(texts, placesOf(rules)), failure: 'the rules took too long for other records' };
    }
    const key = JSON.stringify(rules);
    const ordinaryTimeMs = ordinaryFor(texts);
    const allowedMs = Math.min(this.allowedMs(texts), ordinaryTimeMs + remainingMs);
    for (let timeoutMs = allowedMs; ; timeoutMs *= timeoutFactor) {
      const { redactors, places, patterns } = this.prepared.get(key) ?? this.prepare(key, rules);
      const withheld = (failure: string): Redacted => ({ texts: redactEverything(texts, places), failure });
      if (redactors === undefined) return withheld('a pattern cannot be used');
      const isTimed = patterns > 0 || charactersOf(texts) > maxUntimedCharacters;
      const elapsed = isTimed ? this.startTiming() : untimed;
      try {
        if (!isTimed) return { texts: redactTexts(texts, redactors) };
        this.sandbox.work = () => redactTexts(texts, redactors);
        const redactedTexts = this.run(Math.ceil(timeoutMs));
        this.countOverrun(organizationId, elapsed() - ordinaryTimeMs);
        return { texts: redactedTexts };
      } catch (error) {
        // An interruption may leave the engine in an inconsistent state.
        this.forget(key, patterns);
        const spentMs = elapsed();
        const isStarved = isTimeout(error) && spentMs < allowedMs / 2 && timeoutMs * timeoutFactor <= maxTimeoutMs;
        if (isStarved) continue;
        this.countOverrun(organizationId, (isTimeout(error) ? Math.max(spentMs, allowedMs) : spentMs) - ordinaryTimeMs);
        return withheld(messageOf(error));
      }
    }
  }

  private allowedMs(texts: RecordTexts): number {
    return this.limits.ms + (charactersOf(texts) / (1024 * 1024)) * this.limits.msPerMiB;
  }

  /** @returns a function that measures this thread's time since. */
  private startTiming(): () => number {
    const { monotonic, threadTime } = this.clocks;
    const [startedAt, threadStart] = [monotonic(), threadTime()];
    return () => {
      const threadEnd = threadTime();
      return threadStart === undefined || threadEnd === undefined ? monotonic() - startedAt : threadEnd - threadStart;
    };
  }

  private prepare(key: string, rules: readonly RedactionRule[]): Prepared {
    const patterns = rules.filter(({ kind }) => kind === 'regex').length;
    for (const [oldest, { patterns: freed }] of this.prepared) {
      if (this.prepared.size < maxRuleSets && this.patterns + patterns <= maxPatterns) break;
      this.forget(oldest, freed);
    }
    const prepared = { redactors: compiled(rules), places: placesOf(rules), patterns };
    this.prepared.set(key, prepared);
    this.patterns += patterns;
    return prepared;
  }

  private forget(key: string, patterns: number): void {
    if (this.prepared.delete(key)) this.patterns -= patterns;
  }

  /** Remaining overrun of an organisation's records, milliseconds. */
  private overrunRemainingMs(organizationId: OrganizationId): number {
    const overrun = this.overruns.get(organizationId);
    if (overrun === undefined) return maxOverrunMs;
    if (this.clocks.monotonic() - overrun.since < overrunWindowMs) return maxOverrunMs - overrun.ms;
    this.overruns.delete(organizationId);
    return maxOverrunMs;
  }

  private countOverrun(organizationId: OrganizationId, ms: number): void {
    if (ms <= 0) return;
    if (this.overruns.size >= maxOverruns) this.overruns.clear();
    const { since, ms: before } = this.overruns.get(organizationId) ?? { since: this.clocks.monotonic(), ms: 0 };
    this.overruns.set(organizationId, { since, ms: before + ms });
  }
}

function ordinaryFor(texts: RecordTexts): number {
  return ordinaryMs + (charactersOf(texts) / (1024 * 1024)) * ordinaryMsPerMiB;
}

/** TRICKY: the error comes from the script's own realm, so it is not an `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function compiled(rules: readonly RedactionRule[]): Redactors | undefined {
  try {
    return compileRules(rules);
  } catch {
    return undefined;
  }
}

function placesOf(rules: readonly RedactionRule[]): Redactors {
  return Object.fromEntries(rules.flatMap(({ appliesTo }) => appliesTo.map((place) => [place, emptying])));
}

function charactersOf({ requestBody, responseBody, promptText, completionText }: RecordTexts): number {
  const bodies = [requestBody, responseBody].map((body) => ('text' in body ? body.text.length : 'base64' in body ? body.base64.length : 0));
  return bodies.reduce((sum, length) => sum + length, promptText.length + completionText.length);
}
