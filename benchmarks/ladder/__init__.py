"""What attackers get out of a release who know only a little: a measurement that the audit shall make its own.

The attackers know one to five records of a person, exactly or roughly, or one column of them, or nothing. Beside every
figure stands that of the same attacker on a release without the person (the person's class is left out).
"""
