import { createContext, Script } from 'node:vm';
import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import { compileRules, type Redactor, type Redactors } from '../../redaction/redactor.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';
import { redactTexts, redactEverything } from './redact-texts.ts';

/** The texts as they may be stored. `failure`: the rules could not be applied, so what they look at was left out. */
export interface Redacted {
  readonly texts: RecordTexts;
  readonly failure?: string;
}

/** An organisation's rules, ready to run. */
interface Prepared {
  /** Undefined: a pattern cannot be used. */
  readonly redactors: Redactors | undefined;
  /** The same places with nothing in them, for what has to be left out. */
  readonly places: Redactors;
  readonly patterns: number;
}

/** What the rules may take for one record. A pattern goes through a MiB of text in some 20 ms, or 200 ms where it matches. */
export interface RedactionLimits {
  readonly ms: number;
  readonly msPerMiB: number;
}

const defaultLimits: RedactionLimits = { ms: 1000, msPerMiB: 1000 };

/** Clocks in milliseconds. */
export interface RedactionClocks {
  /** Never steps back. */
  readonly monotonic: () => number;
  /** How long this thread was on a core; undefined where nobody knows, and then it counts as always. */
  readonly threadTime: () => number | undefined;
}

/** With a timer a record costs a tenth of a millisecond more; the kinds that are built in go through a short text in less than that. */
const maxUntimedCharacters = 64 * 1024;
/**
 * TRICKY: a timer knows only how late it is, and this thread is one that lets others go first. Where it hardly was on a core in that time, the
 * record is tried again with so many times as much, up to a limit.
 */
const morePatience = 4;
const maxPatienceMs = 10_000;
/** What rules take without anybody waiting for them: about as much as the rest of interpretation, for short records and for long ones. */
const ordinaryMs = 1;
const ordinaryMsPerMiB = 250;
/** What an organisation's records may take beyond that in a minute; then the rest of that minute's is left out untried, as others wait for it. */
const maxOverrunMs = 5000;
/** With less than this left of it nothing is tried. */
const minLeftMs = 1;
const overrunWindowMs = 60_000;
/** Patterns that are kept compiled; each may grow to some megabytes while it is used. */
const maxPatterns = 64;
const maxRuleSets = 1000;
const maxOverruns = 1000;

const atOnce = (): number => 0;
const nothing: Redactor = { text: () => '', number: () => undefined };

/**
 * Applies the redaction rules of organisations in bounded time. Invariant: what they could not be applied to does not come out of here.
 */
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
    // TRICKY: nothing else can interrupt what runs on this thread; a script can be, with all that it calls.
    const script = new Script('work()');
    this.sandbox = sandbox;
    this.run = (timeout) => script.runInContext(context, { timeout }) as RecordTexts;
  }

  /** Applies rules, in their order, to the texts of one record. */
  apply(organizationId: OrganizationId, rules: readonly RedactionRule[], texts: RecordTexts): Redacted {
    const leftMs = this.overrunLeftMs(organizationId);
    if (leftMs < minLeftMs) {
      return { texts: redactEverything(texts, placesOf(rules)), failure: 'the rules took too long for other records' };
    }
    const key = JSON.stringify(rules);
    const ordinary = ordinaryFor(texts);
    const allowedMs = Math.min(this.allowedMs(texts), ordinary + leftMs);
    for (let patienceMs = allowedMs; ; patienceMs *= morePatience) {
      const { redactors, places, patterns } = this.prepared.get(key) ?? this.prepare(key, rules);
      const withheld = (failure: string): Redacted => ({ texts: redactEverything(texts, places), failure });
      if (redactors === undefined) return withheld('a pattern cannot be used');
      const isTimed = patterns > 0 || charactersOf(texts) > maxUntimedCharacters;
      const elapsed = isTimed ? this.startTiming() : atOnce;
      try {
        if (!isTimed) return { texts: redactTexts(texts, redactors) };
        this.sandbox.work = () => redactTexts(texts, redactors);
        const left = this.run(Math.ceil(patienceMs));
        this.countOverrun(organizationId, elapsed() - ordinary);
        return { texts: left };
      } catch (error) {
        // What was interrupted may have left the engine in between.
        this.forget(key, patterns);
        const spentMs = elapsed();
        const isStarved = isTimeout(error) && spentMs < allowedMs / 2 && patienceMs * morePatience <= maxPatienceMs;
        if (isStarved) continue;
        this.countOverrun(organizationId, (isTimeout(error) ? Math.max(spentMs, allowedMs) : spentMs) - ordinary);
        return withheld(messageOf(error));
      }
    }
  }

  private allowedMs(texts: RecordTexts): number {
    return this.limits.ms + (charactersOf(texts) / (1024 * 1024)) * this.limits.msPerMiB;
  }

  /** @returns a function that says how long this thread worked since. */
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

  /** What an organisation's records may still take beyond the ordinary, milliseconds. */
  private overrunLeftMs(organizationId: OrganizationId): number {
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

/** TRICKY: it comes from the script's own realm, so it is no `Error` of this one. */
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
  return Object.fromEntries(rules.flatMap(({ appliesTo }) => appliesTo.map((place) => [place, nothing])));
}

function charactersOf({ requestBody, responseBody, promptText, completionText }: RecordTexts): number {
  const bodies = [requestBody, responseBody].map((body) => ('text' in body ? body.text.length : 'base64' in body ? body.base64.length : 0));
  return bodies.reduce((sum, length) => sum + length, promptText.length + completionText.length);
}
