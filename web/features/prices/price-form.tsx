import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Price } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { correctFields, Form, Row } from '../../ui/form/form.tsx';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { NumberField, numberFault, numberOf } from '../../ui/form/number-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { applyPrices } from './past-costs.ts';
import { amountBounds, faultsOf, isSamePrice, type TypedPrice } from './price-faults.ts';

type Kind = Exclude<keyof Price, 'model' | 'provider' | 'valid_from'>;

const kinds: readonly { readonly id: Kind; readonly label: string }[] = [
  { id: 'input', label: 'Input' },
  { id: 'output', label: 'Output' },
  { id: 'cache_read', label: 'Cache read' },
  { id: 'cache_write', label: 'Cache write' },
  { id: 'cache_write_1h', label: 'Cache write for an hour' },
  { id: 'cache_write_12h', label: 'Cache write for twelve hours' },
  { id: 'reasoning', label: 'Reasoning' },
  { id: 'input_audio', label: 'Audio in' },
  { id: 'output_audio', label: 'Audio out' },
  { id: 'input_image', label: 'Images in' },
  { id: 'output_image', label: 'Images out' },
  { id: 'request', label: 'Requests' },
];

/** A new price, one for a model with requests that have no cost, or one that there is. */
export type EditedPrice =
  | { readonly kind: 'new' }
  | { readonly kind: 'unpriced'; readonly model: string }
  | { readonly kind: 'change'; readonly price: Price };

export interface PriceFormProps {
  /** All prices of the organisation, which are stored as one list. */
  readonly prices: readonly Price[];
  readonly edited: EditedPrice;
  readonly onClose: () => void;
}

function modelOf(target: EditedPrice): string {
  if (target.kind === 'new') return '';
  return target.kind === 'unpriced' ? target.model : target.price.model;
}

/** @param edited Its kinds that no form has stay. */
function priceOf(edited: Price | undefined, { model, provider, from }: TypedPrice, amounts: Readonly<Record<string, string>>): Price {
  const known = kinds.flatMap(({ id }) => {
    const amount = numberOf(amounts[id] ?? '');
    return amount === undefined ? [] : [[id, amount] as const];
  });
  return {
    ...edited,
    model: model.trim(),
    provider: provider.trim() === '' ? null : provider.trim(),
    valid_from: from.trim() === '' ? null : from.trim(),
    ...Object.fromEntries(kinds.map(({ id }) => [id, undefined])),
    ...Object.fromEntries(known),
  } as Price;
}

/** What a model costs. A kind without a price costs what the kind does that it is a part of. */
export function PriceForm({ prices, edited: target, onClose }: PriceFormProps): ReactNode {
  const edited = target.kind === 'change' ? target.price : undefined;
  const queryClient = useQueryClient();
  const [model, setModel] = useState(modelOf(target));
  const [isPast, setIsPast] = useState(target.kind === 'unpriced');
  const [provider, setProvider] = useState(edited?.provider ?? '');
  const [from, setFrom] = useState(edited?.valid_from ?? '');
  const [amounts, setAmounts] = useState(() => Object.fromEntries(kinds.map(({ id }) => [id, edited?.[id]?.toString() ?? ''])));
  const store = async (): Promise<void> => {
    const price = priceOf(edited, { model, provider, from }, amounts);
    await gatelog.prices.change((present) => [...present.filter((one) => edited === undefined || !isSamePrice(one, edited)), price]);
    if (isPast) await applyPrices(price.model);
    await queryClient.invalidateQueries();
    onClose();
  };
  const faults = faultsOf(
    { model, provider, from },
    prices.filter((one) => one !== edited),
  );
  const areAmountsWrong = kinds.some(({ id }) => numberFault(amounts[id] ?? '', amountBounds) !== undefined);
  const isFilled = [model, amounts['input'], amounts['output']].every((text = '') => text.trim() !== '');
  const isWrong = areAmountsWrong || Object.values(faults).some((fault) => fault !== undefined);
  return (
    <Dialog title={edited === undefined ? 'Set a price' : 'Edit the price'} isOpen onClose={onClose}>
      <Form
        label="Price"
        submit="Save"
        onSubmit={store}
        onCancel={onClose}
        missing={isWrong ? correctFields : isFilled ? undefined : 'Enter a model, and the prices of input and output.'}
        value={JSON.stringify([model, provider, from, amounts])}
      >
        <Row>
          <TextField label="Model" value={model} onChange={setModel} placeholder="my-model or my-model-*" fault={faults.model} isRequired />
          <TextField label="Provider" value={provider} onChange={setProvider} placeholder="any" fault={faults.provider} />
          <TextField label="Valid from" value={from} onChange={setFrom} placeholder="always, or 2026-01-31" fault={faults.from} />
        </Row>
        <Row>
          {kinds.map(({ id, label }) => (
            <NumberField
              key={id}
              label={`${label}, $ per million`}
              value={amounts[id] ?? ''}
              onChange={(text) => setAmounts({ ...amounts, [id]: text })}
              bounds={amountBounds}
              isRequired={id === 'input' || id === 'output'}
            />
          ))}
        </Row>
        <Checkbox isSelected={isPast} onChange={setIsPast}>
          Also update the cost of past requests to this model
        </Checkbox>
      </Form>
    </Dialog>
  );
}
