import type { ReportedError } from '../call/tool-result.ts';
import type { DeclaredError, ToolContract } from './tool.ts';

/** The error of the contract that a tool reported: by its code, or by its status where it reported no code. */
export function declaredError(
  { errors }: Pick<ToolContract, 'errors'>,
  { code, httpStatus }: ReportedError,
): DeclaredError | undefined {
  if (code !== undefined) return errors.find((error) => error.code === code);
  return httpStatus === undefined ? undefined : errors.find((error) => error.httpStatus === httpStatus);
}
