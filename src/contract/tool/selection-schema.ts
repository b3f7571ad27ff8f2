import { Fault } from '../errors/fault.ts';

/** The formats in which model providers take an output schema. */
export const SELECTION_FORMS = ['json_schema', 'openai', 'anthropic'] as const;
export type SelectionForm = (typeof SELECTION_FORMS)[number];

const NAME = 'select_tool';

/**
 * Builds a schema that accepts only one of the offered ids. A constrained-output API then cannot return an invented or
 * misspelt id. `validateSelection` checks the answer of a model without such an API.
 */
export function selectionSchema(
  offered: readonly string[],
  form: SelectionForm = 'json_schema',
): Readonly<Record<string, unknown>> {
  if (offered.length === 0)
    throw new Fault('INVALID_INPUT', 'No tool was offered. Give at least one tool id to select from.');
  const schema = {
    type: 'object',
    properties: { selection: { type: 'string', enum: [...new Set(offered)] } },
    required: ['selection'],
    additionalProperties: false,
  };
  switch (form) {
    case 'json_schema':
      return schema;
    case 'openai':
      return { type: 'json_schema', json_schema: { name: NAME, strict: true, schema } };
    case 'anthropic':
      return { name: NAME, description: 'Select the one tool to call, by its id.', input_schema: schema };
  }
}
