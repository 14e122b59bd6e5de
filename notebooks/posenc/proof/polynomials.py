def decided(statement):
    return False
