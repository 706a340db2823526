import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RedactionRule } from '../../../src/client/types/settings.ts';
import { gatelog } from '../../lib/client.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { NewRule } from './new-rule.tsx';
import { daysText, RetentionForm } from './retention-form.tsx';

/** How long requests are kept, and what is redacted in them before. */
export function DataPage(): ReactNode {
  const mayChange = useMay('admin');
  return (
    <Page title="Data" about="How long requests are kept, and what is redacted in them">
      {!mayChange && <Notice>You may read these settings. Changing them requires the admin permission.</Notice>}
      <Retention mayChange={mayChange} />
      <Redaction mayChange={mayChange} />
    </Page>
  );
}

function Retention({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['retention'],
    queryFn: async ({ signal }) => (await gatelog.retention.get({ signal })).data,
  });
  return (
    <Section title="Retention">
      <ErrorNotice error={error} />
      {data === undefined ? (
        error === null && <Loading />
      ) : (
        <>
          <p>
            {data.effective_days === null ? 'Requests are kept forever.' : `Requests are kept for ${daysText(data.effective_days)}.`}
            {data.deployment_days !== null && ` The deployment keeps none longer than ${daysText(data.deployment_days)}.`}
          </p>
          {mayChange && <RetentionForm key={data.days} retention={data} />}
        </>
      )}
    </Section>
  );
}

const kindTitles = {
  email: 'e-mail addresses',
  card: 'card numbers',
  key: 'API keys',
  regex: 'matches of a pattern',
} as const;

function keyOf(rule: RedactionRule): string {
  return JSON.stringify(rule);
}

function Redaction({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  const queryClient = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['redaction'],
    queryFn: async ({ signal }): Promise<readonly RedactionRule[]> => (await gatelog.redaction.get({ signal })).data,
  });
  const change = async (changed: (present: readonly RedactionRule[]) => readonly RedactionRule[]): Promise<void> => {
    await gatelog.redaction.change((present) => [...changed(present)]);
    await queryClient.invalidateQueries({ queryKey: ['redaction'] });
  };
  const columns: readonly DataColumn<RedactionRule>[] = [
    { id: 'what', title: 'Redacts', textOf: ({ kind }) => kindTitles[kind], cell: ({ kind }) => kindTitles[kind] },
    { id: 'pattern', title: 'Pattern', textOf: ({ pattern }) => pattern ?? '', cell: ({ pattern }) => <code>{pattern}</code> },
    { id: 'with', title: 'Replaced with', textOf: ({ replacement }) => replacement ?? '', cell: ({ replacement }) => replacement },
    { id: 'where', title: 'Applies to', cell: ({ applies_to: places }) => places?.join(', ') },
    ...(mayChange
      ? [
          {
            id: 'delete',
            title: 'Actions',
            head: <span className="visually-hidden">Actions</span>,
            cell: (rule: RedactionRule) => (
              <ConfirmButton
                title={`Delete the rule for ${kindTitles[rule.kind]}`}
                kind="quiet"
                consequence="Requests that come later are stored with what the rule redacts now."
                onConfirm={() => change((present) => present.filter((one) => keyOf(one) !== keyOf(rule)))}
              >
                Delete
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section
      title="Redaction"
      about="Applied in this order before a request is stored; stored requests stay as they are"
      actions={mayChange && <Button onPress={() => setIsAdding(true)}>Add a rule</Button>}
    >
      <ErrorNotice error={error} />
      {data === undefined ? (
        error === null && <Loading />
      ) : data.length === 0 ? (
        <p className="muted">Nothing is redacted.</p>
      ) : (
        <DataTable label="Redaction rules" columns={columns} rows={data} keyOf={keyOf} />
      )}
      {isAdding && data !== undefined && (
        <NewRule onStore={(rule) => change((present) => [...present, rule])} onClose={() => setIsAdding(false)} />
      )}
    </Section>
  );
}
