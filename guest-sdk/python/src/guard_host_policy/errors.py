"""`PolicyError`: why a policy cannot answer."""


class PolicyError(Exception):
    """Why a policy cannot answer, in words for a person. To the host it is a fault of the policy."""
