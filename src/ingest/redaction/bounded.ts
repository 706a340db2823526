import { createContext, Script } from 'node:vm';
import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import { compileRules, type Redactor, type Redactors } from '../../redaction/redactor.ts';
import { RuleTooSlow, RuleWork, type WorkBounds, type WorkClocks } from '../../redaction/rule-work.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';
import { redactTexts, redactEverything } from './redact-texts.ts';
import { SlowWork } from './slow-work.ts';

/** Texts that may be stored. `failure`: the rules could not be applied, so the texts that they concern were left out. */
export interface Redacted {
  readonly texts: RecordTexts;
  readonly failure?: string;
}

/** Compiled rules of an organisation. */
interface Prepared {
  readonly list: number;
  /** Undefined: a pattern cannot be used. */
  readonly redactors: Redactors | undefined;
  /** Redactors that empty the same places, for when the rules fail. */
  readonly emptyingRedactors: Redactors;
  readonly patterns: number;
}

/** Max CPU time of the rules for one record, beyond what is quick. */
export interface RedactionLimits {
  readonly ms: number;
  readonly msPerMiB: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: RedactionLimits = { ms: 1000, msPerMiB: 1000 };
/**
 * What any record's patterns may take, whatever came before: about as much as the rest of its interpretation. 32 patterns that find nothing
 * take 300 ms for each MiB, and one that matches everywhere 240 ms.
 */
const quickMs = 2;
const quickMsPerMiB = 500;
/** What rules may take that were too slow before: some ten times what ordinary ones need, so that slow texts cost about as much as others. */
const slowMs = 0.2;
const slowMsPerMiB = 50;
/** Shorter texts need no timer: a search is too short to be interrupted, and after it {@link RuleWork} ends the work. */
const maxUntimedCharacters = 64 * 1024;
/**
 * TRICKY: the timer measures elapsed time, and this thread has a low priority. If it hardly got CPU time, the record is tried again with
 * this many times the timeout, up to a max.
 */
const timeoutFactor = 4;
const maxTimeoutMs = 30_000;
const maxAttempts = 2;
/** Max compiled patterns in memory; each may grow to some megabytes in use. */
const maxPatterns = 64;
const maxRuleSets = 1000;

const emptying: Redactor = { text: () => '', number: () => undefined };

/** Applies the redaction rules of organisations in bounded time. Invariant: text that they could not be applied to is never returned. */
export class BoundedRedactor {
  private readonly clocks: WorkClocks;
  private readonly limits: RedactionLimits;
  private readonly work: RuleWork;
  private readonly slowWork: SlowWork;
  private readonly prepared = new Map<string, Prepared>();
  private patterns = 0;
  /** How many were prepared. */
  private lists = 0;
  private readonly sandbox: { work: () => RecordTexts };
  private readonly run: (timeout: number) => RecordTexts;

  constructor(clocks: WorkClocks, limits: RedactionLimits = defaultLimits) {
    this.clocks = clocks;
    this.limits = limits;
    this.work = new RuleWork(clocks);
    this.slowWork = new SlowWork(clocks);
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
    const key = JSON.stringify(rules);
    const characters = charactersOf(texts);
    const { quick, quickOfSlow, limit } = this.grantsOf(characters / mebibyte);
    for (let attempt = 1; ; attempt += 1) {
      const { list, redactors, emptyingRedactors, patterns } = this.prepared.get(key) ?? this.prepare(key, rules);
      const withheld = (failure: string): Redacted => ({ texts: redactEverything(texts, emptyingRedactors), failure });
      if (redactors === undefined) return withheld('a pattern cannot be used');
      const beyondMs = Math.min(limit, this.slowWork.remainingMs(organizationId));
      const before = { rules: this.slowWork.slowRules(organizationId, list), allowedMs: quickOfSlow + beyondMs };
      const bounds = { allowedMs: quick + beyondMs, maxCpuMs: quick + limit, slow: before };
      let tooSlow: number | undefined;
      try {
        this.work.begin(bounds);
        if (characters <= maxUntimedCharacters) return { texts: redactTexts(texts, redactors) };
        return { texts: this.timed(() => redactTexts(texts, redactors), bounds) };
      } catch (error) {
        const isTooSlow = error instanceof RuleTooSlow;
        // A pause of the thread may have come in between.
        if (isTooSlow && this.work.hasOddPiece && attempt < maxAttempts) continue;
        // An interruption may leave the engine in an inconsistent state.
        if (!isTooSlow) this.forget(key, patterns);
        if (isTimeout(error)) this.slowWork.count(organizationId, beyondMs);
        if (isTooSlow) tooSlow = error.rule;
        return withheld(messageOf(error));
      } finally {
        const { spentMs, spentBySlowMs } = this.work;
        const ms = Math.max(spentMs - quick, spentBySlowMs - quickOfSlow);
        this.slowWork.count(organizationId, ms, tooSlow === undefined ? undefined : { list, rule: tooSlow });
      }
    }
  }

  /** Milliseconds for a record: of any rules, of rules that were too slow before, and the most beyond that. */
  private grantsOf(mebibytes: number): { readonly quick: number; readonly quickOfSlow: number; readonly limit: number } {
    return {
      quick: quickMs + mebibytes * quickMsPerMiB,
      quickOfSlow: slowMs + mebibytes * slowMsPerMiB,
      limit: this.limits.ms + mebibytes * this.limits.msPerMiB,
    };
  }

  /** Interrupts work that goes on too long in one step. */
  private timed(work: () => RecordTexts, bounds: WorkBounds): RecordTexts {
    this.sandbox.work = work;
    const threadTime = this.clocks.threadTime ?? this.clocks.monotonic;
    for (
      let timeoutMs = Math.min(maxTimeoutMs, timeoutFactor * bounds.maxCpuMs);
      ;
      timeoutMs = Math.min(maxTimeoutMs, timeoutMs * timeoutFactor)
    ) {
      const startedAt = threadTime();
      try {
        return this.run(Math.ceil(timeoutMs));
      } catch (error) {
        const isStarved = isTimeout(error) && threadTime() - startedAt < bounds.maxCpuMs && timeoutMs < maxTimeoutMs;
        if (!isStarved) throw error;
        this.work.begin(bounds);
      }
    }
  }

  private prepare(key: string, rules: readonly RedactionRule[]): Prepared {
    const patterns = rules.filter(({ kind }) => kind === 'regex').length;
    for (const [oldest, { patterns: freed }] of this.prepared) {
      if (this.prepared.size < maxRuleSets && this.patterns + patterns <= maxPatterns) break;
      this.forget(oldest, freed);
    }
    this.lists += 1;
    const prepared = { list: this.lists, redactors: this.compiled(rules), emptyingRedactors: emptyingRedactorsFor(rules), patterns };
    this.prepared.set(key, prepared);
    this.patterns += patterns;
    return prepared;
  }

  private compiled(rules: readonly RedactionRule[]): Redactors | undefined {
    try {
      return compileRules(rules, (rule, steps) => this.work.note(rule, steps));
    } catch {
      return undefined;
    }
  }

  private forget(key: string, patterns: number): void {
    if (this.prepared.delete(key)) this.patterns -= patterns;
  }
}

/** TRICKY: the error comes from the script's own realm, so it is not an `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function emptyingRedactorsFor(rules: readonly RedactionRule[]): Redactors {
  return Object.fromEntries(rules.flatMap(({ appliesTo }) => appliesTo.map((target) => [target, emptying])));
}

function charactersOf({ requestBody, responseBody, promptText, completionText, properties, inputs }: RecordTexts): number {
  let characters = lengthOf(requestBody) + lengthOf(responseBody) + promptText.length + completionText.length;
  for (const values of [properties, inputs]) for (const [name, value] of values) characters += name.length + value.length;
  return characters;
}

function lengthOf(body: RecordedBody): number {
  return 'text' in body ? body.text.length : 'base64' in body ? body.base64.length : 0;
}
