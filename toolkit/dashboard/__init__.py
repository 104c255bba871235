"""The pages an analyst looks at: each reads its inputs, calls one function and shows the result."""
