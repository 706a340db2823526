import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RepriceReport } from '../../../src/client/types/prices.ts';
import { gatelog } from '../../lib/client.ts';
import { formatAmount, formatCost, formatCount } from '../../lib/format.ts';
import { correctFields, Form, Row } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Notice } from '../../ui/notice.tsx';
import { dayFault, rangeFault } from './past-costs.ts';

interface Progress {
  readonly total: number;
  readonly checked: number;
  readonly changed: number;
  readonly before: number;
  readonly after: number;
  readonly isDry: boolean;
  readonly isDone: boolean;
}

/** Applies the prices of today to past requests: first a preview, then the change. */
export function Reprice(): ReactNode {
  const [start, setStart] = useState('');
  const [end, setEnd] = useState('');
  const [progress, setProgress] = useState<Progress>();
  const queryClient = useQueryClient();
  const run = async (isDry: boolean): Promise<void> => {
    const order = { filter: 'all' as const, startDate: start.trim() || undefined, endDate: end.trim() || undefined, dryRun: isDry };
    setProgress(undefined);
    let sum: Progress = { total: 0, checked: 0, changed: 0, before: 0, after: 0, isDry, isDone: false };
    for await (const report of gatelog.prices.applyAll(order)) {
      sum = added(sum, report);
      setProgress(sum);
    }
    setProgress({ ...sum, isDone: true });
    if (!isDry) await queryClient.invalidateQueries();
  };
  const [startFault, endFault] = [dayFault(start), rangeFault(start, end)];
  const isPreviewed = progress?.isDry === true && progress.isDone && progress.changed > 0;
  // A preview of other days tells nothing.
  const changed = (set: (text: string) => void) => (text: string) => {
    set(text);
    setProgress(undefined);
  };
  return (
    <Section title="Update past costs" about="Applies today's prices to past requests. Costs that a caller or a provider reported stay">
      <Form
        label="Update past costs"
        submit={isPreviewed ? `Update ${formatAmount(progress.changed, 'request')}` : 'Preview'}
        onSubmit={() => run(!isPreviewed)}
        missing={startFault === undefined && endFault === undefined ? undefined : correctFields}
        value={[start, end].join(' ')}
      >
        <Row>
          <TextField
            label="From"
            value={start}
            onChange={changed(setStart)}
            placeholder="2026-01-01, or empty for all"
            fault={startFault}
          />
          <TextField label="To" value={end} onChange={changed(setEnd)} placeholder="2026-01-31, or empty for now" fault={endFault} />
        </Row>
        {progress !== undefined && <Outcome progress={progress} />}
      </Form>
    </Section>
  );
}

function added(sum: Progress, { total, checked, changed, before, after }: RepriceReport): Progress {
  return {
    ...sum,
    total: total ?? sum.total,
    checked: sum.checked + checked,
    changed: sum.changed + changed,
    before: sum.before + before,
    after: sum.after + after,
  };
}

function Outcome({ progress: { total, checked, changed, before, after, isDry, isDone } }: { readonly progress: Progress }): ReactNode {
  if (!isDone) {
    return (
      <p aria-live="polite">
        {formatCount(checked)} of {formatAmount(total, 'request')} …
      </p>
    );
  }
  if (changed === 0) return <Notice>No cost {isDry ? 'would change' : 'changed'}.</Notice>;
  return (
    <Notice kind={isDry ? 'info' : 'success'}>
      {formatCount(changed)} of {formatAmount(checked, 'cost')} {isDry ? 'would change' : 'changed'}: together {formatCost(before)} before,{' '}
      {formatCost(after)} after.
    </Notice>
  );
}
