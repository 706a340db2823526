import { type ReactNode, useState } from 'react';
import type { RedactionRule } from '../../../src/client/types/settings.ts';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { correctionOf, Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { ruleFaults } from './rule-faults.ts';

const kindOptions = [
  { value: 'email', label: 'e-mail addresses' },
  { value: 'card', label: 'card numbers' },
  { value: 'key', label: 'API keys' },
  { value: 'regex', label: 'matches of a pattern' },
] as const;

type Place = NonNullable<RedactionRule['applies_to']>[number];

const places: readonly { readonly id: Place; readonly title: string }[] = [
  { id: 'request', title: 'Requests' },
  { id: 'response', title: 'Responses' },
  { id: 'properties', title: 'Properties' },
  { id: 'identifiers', title: 'Users, sessions and other identifiers' },
];

export interface NewRuleProps {
  readonly onStore: (rule: RedactionRule) => Promise<void>;
  readonly onClose: () => void;
}

export function NewRule({ onStore, onClose }: NewRuleProps): ReactNode {
  const [kind, setKind] = useState<RedactionRule['kind']>('email');
  const [pattern, setPattern] = useState('');
  const [replacement, setReplacement] = useState('');
  const [chosen, setChosen] = useState<readonly Place[]>(['request', 'response', 'properties']);
  const isRegex = kind === 'regex';
  const faults = ruleFaults(pattern, replacement);
  const store = async (): Promise<void> => {
    await onStore({
      kind,
      pattern: isRegex ? pattern : null,
      replacement: replacement === '' ? null : replacement,
      applies_to: chosen,
    });
    onClose();
  };
  return (
    <Dialog title="Add a redaction rule" isOpen onClose={onClose}>
      <Form
        label="Redaction rule"
        submit="Add the rule"
        onSubmit={store}
        onCancel={onClose}
        missing={
          chosen.length === 0
            ? 'Choose at least one place.'
            : isRegex && pattern === ''
              ? 'A pattern is missing.'
              : correctionOf(isRegex ? faults.pattern : undefined, faults.replacement)
        }
      >
        <Select label="Redact" isLabelShown value={kind} options={kindOptions} onChange={setKind} />
        {isRegex && (
          <TextField
            label="Pattern (RE2)"
            value={pattern}
            onChange={setPattern}
            fault={faults.pattern}
            placeholder="EMP-[0-9]{6}"
            isCode
            isRequired
          />
        )}
        <TextField
          label="Replace with"
          value={replacement}
          onChange={setReplacement}
          fault={faults.replacement}
          placeholder={isRegex ? '[redacted]' : `[${kind}]`}
        />
        <Places chosen={chosen} onChange={setChosen} />
      </Form>
    </Dialog>
  );
}

interface PlacesProps {
  readonly chosen: readonly Place[];
  readonly onChange: (chosen: readonly Place[]) => void;
}

function Places({ chosen, onChange }: PlacesProps): ReactNode {
  return (
    <div>
      {places.map(({ id, title }) => (
        <Checkbox
          key={id}
          isSelected={chosen.includes(id)}
          onChange={(isSelected) => onChange(isSelected ? [...chosen, id] : chosen.filter((one) => one !== id))}
        >
          {title}
        </Checkbox>
      ))}
    </div>
  );
}
