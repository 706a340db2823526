import { type ReactNode, useState } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { feedbackScore } from '../../../../src/model/vocabulary/scores.ts';
import { formatScore } from '../../../lib/metrics/metric-format.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Form, Row } from '../../../ui/form/form.tsx';
import { NumberField, numberOf } from '../../../ui/form/number-field.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import styles from './detail.module.css';
import { useReadAgain } from './request-query.ts';

export interface RatingsProps {
  readonly request: RequestItem;
  readonly mayWrite: boolean;
}

/** Scores and feedback of a request. */
export function Ratings({ request, mayWrite }: RatingsProps): ReactNode {
  const { request_id: id, scores, feedback_rating: rating } = request;
  const [isAdding, setIsAdding] = useState(false);
  const shown = Object.entries(scores).filter(([name]) => name !== feedbackScore);
  return (
    <section className={styles['ratings']} aria-label="Scores and feedback">
      <h3>Rating</h3>
      <ul className={styles['rated']}>
        <li>
          {rating === null ? (
            <Badge kind="plain">No feedback</Badge>
          ) : rating ? (
            <Badge kind="good">Good</Badge>
          ) : (
            <Badge kind="bad">Bad</Badge>
          )}
        </li>
        {shown.map(([name, value]) => (
          <li key={name} className={styles['score']}>
            <span className="clip" dir="auto" title={name}>
              {name}
            </span>
            <b>{formatScore(value)}</b>
          </li>
        ))}
      </ul>
      {mayWrite && (
        <div className={styles['rate']}>
          <Feedback id={id} rating={rating} />
          <Button onPress={() => setIsAdding(true)}>Add a score</Button>
        </div>
      )}
      <Dialog title="Add a score" isOpen={isAdding} onClose={() => setIsAdding(false)}>
        <ScoreForm id={id} onEnd={() => setIsAdding(false)} />
      </Dialog>
    </section>
  );
}

function Feedback({ id, rating }: { readonly id: string; readonly rating: boolean | null }): ReactNode {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const readAgain = useReadAgain(id);
  const rate = async (given: boolean): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await gatelog.requests.giveFeedback(id, given);
      await readAgain();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      {rating !== true && (
        <Button isDisabled={isBusy} onPress={() => void rate(true)}>
          Rate as good
        </Button>
      )}
      {rating !== false && (
        <Button isDisabled={isBusy} onPress={() => void rate(false)}>
          Rate as bad
        </Button>
      )}
      <ErrorNotice error={error} />
    </>
  );
}

function ScoreForm({ id, onEnd }: { readonly id: string; readonly onEnd: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const readAgain = useReadAgain(id);
  const score = numberOf(value);
  const add = async (): Promise<void> => {
    if (score === undefined) return;
    await gatelog.requests.setScores(id, { [name.trim()]: score });
    await readAgain();
    onEnd();
  };
  return (
    <Form
      label="Add a score"
      submit="Save"
      onSubmit={add}
      onCancel={onEnd}
      missing={name.trim() === '' || score === undefined ? 'A score needs a name and a number.' : undefined}
    >
      <Row>
        <TextField label="Name" value={name} onChange={setName} about="A name that is there is replaced." autoFocus />
        <NumberField label="Value" value={value} onChange={setValue} />
      </Row>
    </Form>
  );
}
