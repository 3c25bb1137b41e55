import type { VNode } from 'preact';
import { navigate } from '../router.ts';

interface FilterSelectProps {
  /** The name of the control for screen readers. */
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string, ...unknown[]])[];
  /** Returns the path of the list with a chosen value. */
  createAddress: (value: string) => string;
}

/** A choice beside a list that shows only a part of it. */
export const FilterSelect = ({ label, value, options, createAddress }: FilterSelectProps): VNode => (
  <select
    class="input"
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => navigate(createAddress(currentTarget.value))}
  >
    {options.map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </select>
);
