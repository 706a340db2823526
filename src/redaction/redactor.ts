import { type RedactionTarget, redactionTargets, type RedactionRule } from '../model/redaction-rule.ts';
import { isCardNumber, redactCards } from './cards.ts';
import { redactEmails } from './emails.ts';
import { redactKeys } from './keys.ts';
import { compilePattern, type OnSearch, type ReplaceMatches } from './pattern.ts';

/** Applies the rules of one place. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** The replacement of a JSON number with these digits; undefined when it stays. */
  readonly number: (digits: string) => string | undefined;
}

/** Redactors by place; none where no rule applies. */
export type Redactors = Readonly<Partial<Record<RedactionTarget, Redactor>>>;

interface Step {
  readonly replace: ReplaceMatches;
  readonly rule: RedactionRule;
}

/** Told of each search of a pattern: the index of its rule, and how many steps it may have taken. May throw, to end the work. */
export type OnRuleSearch = (rule: number, steps: number) => void;

/** Compiles rules, which run in their order. @throws when a pattern is invalid. */
export function compileRules(rules: readonly RedactionRule[], onSearch?: OnRuleSearch): Redactors {
  const steps = rules.map((rule, index): Step => {
    const note = onSearch === undefined ? undefined : (count: number): void => onSearch(index, count);
    return { rule, replace: replacerOf(rule, note) };
  });
  return Object.fromEntries(
    redactionTargets.flatMap((target) => {
      const applicable = steps.filter(({ rule }) => rule.appliesTo.includes(target));
      return applicable.length === 0 ? [] : [[target, redactorOf(applicable)]];
    }),
  );
}

function redactorOf(steps: readonly Step[]): Redactor {
  const cardStep = steps.find(({ rule }) => rule.kind === 'card');
  return {
    text: (text) => steps.reduce((rest, { replace, rule }) => (rest === '' ? rest : replace(rest, rule.replacement)), text),
    number: (digits) => (cardStep !== undefined && isCardNumber(digits) ? cardStep.rule.replacement : undefined),
  };
}

function replacerOf({ kind, pattern }: RedactionRule, onSearch: OnSearch | undefined): ReplaceMatches {
  switch (kind) {
    case 'email':
      return redactEmails;
    case 'card':
      return redactCards;
    case 'key':
      return redactKeys;
    case 'regex':
      if (pattern === null) throw new Error('a rule of the kind regex has no pattern');
      return compilePattern(pattern, onSearch);
  }
}
