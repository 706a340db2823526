import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatTime } from '../../../lib/format.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Form, Row } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Page, Section } from '../../../ui/layout/page.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { beforeQuery, requestQuery } from '../detail/request-query.ts';
import { ComparedTable } from './compared-table.tsx';
import styles from './compare.module.css';
import { comparedFigures, comparedProperties, comparedRatings } from './figures.ts';
import { MessagesBeside } from './messages-beside.tsx';
import { comparedParameters } from './parameters.ts';
import type { CompareSearch } from './search.ts';

const route = getRouteApi('/shell/requests/compare');

/** Two requests side by side. */
export function ComparePage(): ReactNode {
  const { left, right } = route.useSearch();
  const navigate = route.useNavigate();
  const [isChoosing, setIsChoosing] = useState(false);
  const choose = (search: CompareSearch): void => void navigate({ search });
  const pair = usePair(left, right);
  return (
    <Page
      title="Compare"
      about="What differs is marked."
      actions={
        <>
          {pair.left !== undefined && pair.left !== null && (
            <Button onPress={() => choose({ left: right, right: pair.left?.request_id })}>Swap</Button>
          )}
          <Button onPress={() => setIsChoosing(true)}>Choose requests</Button>
        </>
      }
    >
      <Compared {...pair} isAsked={right !== undefined} />
      <Dialog title="Choose requests" isOpen={isChoosing} onClose={() => setIsChoosing(false)}>
        <ChooseForm
          left={left ?? ''}
          right={right ?? ''}
          onChoose={(search) => {
            setIsChoosing(false);
            choose(search);
          }}
        />
      </Dialog>
    </Page>
  );
}

interface ComparedPair {
  /** Null: there is none before the right one. */
  readonly left: RequestItem | null | undefined;
  readonly right: RequestItem | undefined;
  readonly error: Error | null;
}

function usePair(left: string | undefined, right: string | undefined): ComparedPair {
  const second = useQuery({ ...requestQuery(right ?? ''), enabled: right !== undefined });
  const first = useQuery({ ...requestQuery(left ?? ''), enabled: left !== undefined });
  const before = useQuery(beforeQuery(left === undefined ? second.data : undefined));
  return {
    left: left === undefined ? before.data : first.data,
    right: second.data,
    error: second.error ?? (left === undefined ? before.error : first.error),
  };
}

function Compared({ left, right, error, isAsked }: ComparedPair & { readonly isAsked: boolean }): ReactNode {
  if (!isAsked) return <Empty title="No requests are chosen">Choose two by their identifiers, or open one and press “Compare”.</Empty>;
  if (error !== null) return <PageError error={error} />;
  if (left === undefined || right === undefined) return <Loading what="Loading both requests" />;
  if (left === null) {
    return (
      <Empty title="There is no request before this one in its session">
        <p className="muted">Choose the other request by its identifier.</p>
      </Empty>
    );
  }
  const ratings = comparedRatings(left, right);
  return (
    <>
      <div className={styles['heads']}>
        <Head title="Left" request={left} />
        <Head title="Right" request={right} />
      </div>
      <Section title="Figures">
        <ComparedTable label="Figures" rows={comparedFigures(left, right)} hasChange />
      </Section>
      {ratings.length > 0 && (
        <Section title="Ratings">
          <ComparedTable label="Ratings" rows={ratings} hasChange />
        </Section>
      )}
      <Section title="Parameters">
        <ComparedTable label="Parameters" rows={comparedParameters(left.request_body, right.request_body)} />
      </Section>
      <Section title="Properties">
        <ComparedTable label="Properties" rows={comparedProperties(left, right)} />
      </Section>
      <Section title="Messages">
        <MessagesBeside left={left} right={right} />
      </Section>
    </>
  );
}

function Head({ title, request }: { readonly title: string; readonly request: RequestItem }): ReactNode {
  const { request_id: id, request_created_at: arrived } = request;
  return (
    <section className={styles['request']} aria-label={title}>
      <h2 className="clip" dir="auto">
        {request.model}
      </h2>
      <p className="muted">
        {title}, {formatTime(arrived, timeZone(), true)}
      </p>
      <Link className="clip" to="/requests" search={{ request: id, range: 'all', q: `id:${id}` }} title={id}>
        {id}
      </Link>
    </section>
  );
}

interface ChooseFormProps {
  readonly left: string;
  readonly right: string;
  readonly onChoose: (search: CompareSearch) => void;
}

function ChooseForm({ left, right, onChoose }: ChooseFormProps): ReactNode {
  const [one, setOne] = useState(left);
  const [other, setOther] = useState(right);
  const choose = async (): Promise<void> => {
    await Promise.resolve();
    onChoose({ left: one.trim() === '' ? undefined : one.trim(), right: other.trim() });
  };
  return (
    <Form
      label="Choose requests"
      submit="Compare"
      onSubmit={choose}
      missing={other.trim() === '' ? 'Give the identifier of the other request.' : undefined}
    >
      <Row>
        <TextField label="Left" about="Empty: the one before it in its session." value={one} onChange={setOne} isCode autoFocus />
        <TextField label="Right" value={other} onChange={setOther} isCode />
      </Row>
    </Form>
  );
}
