import type { ReactNode, Ref } from 'react';
import { formatCost, formatCount, formatDuration } from '../../../lib/format.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/layout/facts.tsx';
import { KindIcon } from './kind-icon.tsx';
import { type GroupRow, hasFailed } from './rows.ts';
import { percent } from './shares.ts';
import { nameOf } from './step-text.ts';
import type { Step } from './steps.ts';
import styles from './step-detail.module.css';

/** Steps of a list. */
const shown = 5;

export interface GroupDetailProps {
  readonly group: GroupRow;
  readonly sessionCost: number;
  readonly onStep: (step: Step) => void;
  readonly ref: Ref<HTMLHeadingElement>;
}

/** Several steps at one place: together, those that failed, and those that cost the most. */
export function GroupDetail({ group, sessionCost, onStep, ref }: GroupDetailProps): ReactNode {
  const { name, steps, failed, cost, durationMs } = group;
  const [first, last] = [steps[0], steps.at(-1)];
  const costly = steps
    .filter(({ request }) => (request.cost ?? 0) > 0)
    .toSorted((one, other) => (other.request.cost ?? 0) - (one.request.cost ?? 0));
  return (
    <>
      <header className={styles['head']}>
        <KindIcon kind="group" hasFailed={failed > 0} />
        <h2 ref={ref} tabIndex={-1} className="clip" dir="auto">
          {name}
        </h2>
        {failed > 0 && <Badge kind="bad">{formatCount(failed)} failed</Badge>}
        <span className="muted">
          steps {formatCount(first?.number)} to {formatCount(last?.number)}
        </span>
      </header>
      <Facts
        facts={[
          ['Steps', formatCount(steps.length)],
          ['Duration', formatDuration(durationMs)],
          ['Cost', cost === null || sessionCost === 0 ? formatCost(cost) : `${formatCost(cost)}, ${percent(cost / sessionCost)}`],
        ]}
      />
      <StepLinks title="Failed" steps={steps.filter(hasFailed)} onStep={onStep} />
      <StepLinks title="Most expensive" steps={costly} onStep={onStep} />
    </>
  );
}

interface StepLinksProps {
  readonly title: string;
  readonly steps: readonly Step[];
  readonly onStep: (step: Step) => void;
}

function StepLinks({ title, steps, onStep }: StepLinksProps): ReactNode {
  if (steps.length === 0) return null;
  return (
    <section aria-label={title} className={styles['links']}>
      <h3>{title}</h3>
      <ul>
        {steps.slice(0, shown).map((step) => (
          <li key={step.number}>
            <Button kind="quiet" onPress={() => onStep(step)}>
              Step {formatCount(step.number)}: {nameOf(step.request)}, {formatCost(step.request.cost)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
